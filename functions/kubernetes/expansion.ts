// Keeps the kubelet from reading `$(NAME)` in a user's text (k8s.io/kubernetes/third_party/forked/golang/expansion).

/** The text that the kubelet's expansion turns back into `text`, whatever variables the container has. */
export const escapeExpansion = (text: string): string => (text.includes('$') ? text.replaceAll('$', '$$$$') : text);
