-- A PersistentVolumeClaim that is Pending, and that nobody provisions yet, waits for the first pod that uses it. Standard
-- libraries are off, and every path must return a status: this replaces Argo CD's own check for all claims.
local annotations = obj.metadata.annotations or {}
local phase = (obj.status or {}).phase
local provisioner = annotations["volume.kubernetes.io/storage-provisioner"]

if phase == "Bound" then
  return { status = "Healthy", message = "" }
end
if phase == "Lost" then
  return { status = "Degraded", message = "its volume is gone" }
end
if phase == "Pending" and provisioner == nil then
  return { status = "Healthy", message = "waits for the first pod that uses it, or for a StorageClass that is missing" }
end
return { status = "Progressing", message = "waits for its volume" }
