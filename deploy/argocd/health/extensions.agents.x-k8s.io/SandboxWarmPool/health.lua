-- A SandboxWarmPool is healthy when as many sandboxes are ready as it should hold. Standard libraries are off, and every
-- path must return a status.
local status = obj.status or {}
local wanted = obj.spec.replicas
local ready = status.readyReplicas or 0 -- left out when 0

if status.observedGeneration ~= nil and status.observedGeneration ~= obj.metadata.generation then
  return { status = "Progressing", message = "changed since agent-sandbox looked" }
end
if ready < wanted then
  return { status = "Progressing", message = ready .. " of " .. wanted .. " sandboxes are ready" }
end
return { status = "Healthy", message = ready .. " of " .. wanted .. " sandboxes are ready" }
