-- A TrustTier is as healthy as its keeper found it. Standard libraries are off, and every path must return a status.
local status = obj.status or {}
local conditions = {}
for _, condition in ipairs(status.conditions or {}) do
  conditions[condition.type] = condition
end
local function is(name, value)
  return conditions[name] ~= nil and conditions[name].status == value
end
local function health(code, name)
  return { status = code, message = conditions[name].message }
end

if status.observedGeneration ~= nil and status.observedGeneration ~= obj.metadata.generation then
  return { status = "Progressing", message = "changed since its keeper looked" }
end
if is("Stalled", "True") then
  return health("Degraded", "Stalled")
end
if is("Reconciling", "True") then
  return health("Progressing", "Reconciling")
end
if conditions.Ready == nil then
  return { status = "Healthy", message = "no keeper has reported" }
end
if is("Ready", "True") then
  return health("Healthy", "Ready")
end
if is("Ready", "False") then
  return health("Degraded", "Ready")
end
return health("Progressing", "Ready")
