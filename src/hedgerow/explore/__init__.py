"""Looking before publishing: what the data are like, and what every recoding would do to them."""
