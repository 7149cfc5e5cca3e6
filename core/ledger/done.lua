-- done.lua: a timer was handled; remove it unless it was set again to another time meanwhile.
-- KEYS[1] due, zset timer -> due ms     KEYS[2] timers, hash timer -> JSON
-- ARGV[1] timer                         ARGV[2] the due time it was handled for
-- Answers 1 when removed, 0 when it stays.
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score or tonumber(score) ~= tonumber(ARGV[2]) then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
return 1
