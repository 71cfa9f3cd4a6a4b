"""Is somebody in the table? Read off ordinary k-anonymous releases, and not off a safe one."""
