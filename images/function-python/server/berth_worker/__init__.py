"""One package, so that a handler may call the modules beside it whatever it likes."""
