-- Keys: those of prelude.lua.
-- Returns the name of the server's present life while its data needs adoption, else ''.

return adopted() and '' or run_id()
