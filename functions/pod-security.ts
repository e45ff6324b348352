// What undoes a pod's isolation without a word in its security context.

/** Prefixes of annotations by which runtimes take orders: of gVisor, Kata, CRI-O, containerd, and of AppArmor before it had a field. */
export const RUNTIME_ORDERS: readonly string[] = [
  'dev.gvisor.',
  'io.katacontainers.',
  'io.kubernetes.cri-o.',
  'io.containerd.',
  'container.apparmor.security.beta.kubernetes.io/',
];

/** Volumes that Pod Security's restricted profile admits (kubernetes.io, Pod Security Standards). */
export const RESTRICTED_VOLUMES: readonly string[] = [
  ...['configMap', 'csi', 'downwardAPI', 'emptyDir'],
  ...['ephemeral', 'persistentVolumeClaim', 'projected', 'secret'],
];
