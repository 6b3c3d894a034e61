-- Keys: those of prelude.lua.
-- Returns the store's time in milliseconds.

return NOW
