// The web page for chats, page.html, as the build embeds it.
#pragma once

#include <string_view>

namespace tg::server {

extern const std::string_view kPage;

}  // namespace tg::server
