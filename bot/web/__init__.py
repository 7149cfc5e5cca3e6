"""The web console: one page, an API and live events, over the same intake and cards as every other surface."""
