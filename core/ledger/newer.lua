-- newer.lua: write a hash unless it was already written on a later state, and count the writes.
-- KEYS[1] the hash; its field order is the highest order written, its field revision the number of writes
-- ARGV[1] order, a whole number     ARGV[2..] field, value, field, value ...
-- Answers the revision, or 0 when nothing was written.
local known = redis.call('HGET', KEYS[1], 'order')
if known and tonumber(known) > tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'order', ARGV[1], unpack(ARGV, 2))
return redis.call('HINCRBY', KEYS[1], 'revision', 1)
