"""What tinygrad keeps beside its visualiser; graphs are drawn by `tg viz`."""
