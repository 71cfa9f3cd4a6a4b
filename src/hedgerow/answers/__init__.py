"""Questions that are answered with noise: asked, priced, charged, answered, remembered."""
