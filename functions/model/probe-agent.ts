// What passes between the prober and the agent in a probe pod: a task in its environment, a result in its termination message.

/** seat: under the seat's policy. control: the same pod without it. witness: listens, is a live target, and remembers. */
export type AgentRole = 'seat' | 'control' | 'witness';

export interface AgentTask {
  readonly role: AgentRole;
  /** Hex digits; every connection carries them, so that a listener knows who came. */
  readonly nonce: string;
  /** How long it runs from its own start; SIGTERM ends it sooner, with a result. */
  readonly seconds: number;
  /** Attempts that begin later than this carry the nonce with `MEASURED` after it: what then arrives was let through late. */
  readonly settleSeconds: number;
  readonly listen: { readonly tcp: readonly number[]; readonly udp: readonly number[] };
  readonly targets: readonly Target[];
  /** Time limit of one attempt in milliseconds (3000: an ICMPv6 reject shows at the first retransmit only). */
  readonly attemptMs: number;
  /** control: whom to ask at its end which of these nonces arrived, early or late; default all, which may not fit a result. */
  readonly witness?: { readonly address: string; readonly port: number; readonly nonces?: readonly string[] };
  /** seat: read what the pod shows of itself. */
  readonly inspect?: Inspection;
}

/** What to look at in the pod. */
export interface Inspection {
  /** File of the projected token; undefined: the pod has none. */
  readonly tokenFile?: string;
  /** Folders of mode 1777 that belong to the image: with a read-only root not even these take a file. */
  readonly imageFolders: readonly string[];
}

/** http: GET /<nonce>. tcp: connect only. udp: send the nonce. dns-*: ask for `name`. */
export interface Target {
  /** Short, unique in the task. */
  readonly id: string;
  readonly kind: 'http' | 'tcp' | 'udp' | 'dns-udp' | 'dns-tcp';
  /** Literal address, or `resolver`: each nameserver of the pod's resolv.conf, reported as `<id>/<address>`. */
  readonly address: string;
  readonly port: number;
  /** http: Host header and path, default the nonce; dns: the name to ask for, `{nonce}` in it stands for the nonce. */
  readonly host?: string;
  readonly path?: string;
  readonly name?: string;
}

/**
 * echo: the peer is an agent, and read the nonce. answer: it sent something (any HTTP or DNS answer). connected: it took the
 * connection, and said nothing, something else, or reset it. timeout: nothing came. Else the error code of the system, e.g. `ECONNREFUSED`; `ERROR` if it has none.
 * DNS answers are `answer:NOERROR`, `answer:NXDOMAIN`, … so that a resolver's word is kept; `answer:NODATA` has no record.
 */
export type Attempt = string;

/** Attempts with one result in a row: the result, first and last end in ms since the agent's start, how many. */
export type Stretch = readonly [result: Attempt, first: number, last: number, count: number];

export interface AgentResult {
  readonly version: 1;
  readonly role: AgentRole;
  readonly nonce: string;
  readonly podUID: string;
  /** Unix milliseconds by the pod's clock. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** `done`, or `terminated` when a signal came first. */
  readonly end: 'done' | 'terminated';
  /** Ports that could be opened; `tcp/8080`. */
  readonly listening: readonly string[];
  /** By target id, oldest first; at most 16 stretches each, failures in the middle dropped first. */
  readonly attempts: Readonly<Record<string, readonly Stretch[]>>;
  /** Nonces that arrived at its listeners, each once per port, with the first time in Unix ms. */
  readonly heard: readonly {
    readonly nonce: string;
    readonly port: string;
    readonly from: string;
    readonly at: number;
  }[];
  /** Connections without a nonce (the kubelet's probes): how many, first and last in Unix ms. */
  readonly silent?: {
    readonly count: number;
    readonly first: number;
    readonly last: number;
    readonly from: readonly string[];
  };
  /** control: what the witness heard, asked after the last attempt; undefined: it did not answer. */
  readonly witnessHeard?: readonly { readonly nonce: string; readonly port: string }[];
  readonly seen?: Sight;
}

/** What the pod shows of itself; texts as read, undefined where a file is missing or closed. */
export interface Sight {
  /** `/proc/self/status` fields by name: Uid, Gid, Groups, CapInh … CapAmb, NoNewPrivs, Seccomp. */
  readonly status: Readonly<Record<string, string>>;
  readonly bootID?: string;
  readonly osrelease?: string;
  readonly version?: string;
  readonly cmdline?: string;
  /** Paths of the signature list that exist. */
  readonly present: readonly string[];
  /** mount point, file system type, source, whether read-only. */
  readonly mounts: readonly (readonly [point: string, type: string, source: string, readOnly: boolean])[];
  /** Result of trying to create a file, by folder: `created` or an error code. */
  readonly writes: Readonly<Record<string, string>>;
  /** Result of opening for writing (kernel files) or reading (logs, devices, sockets), by path: `opened`, `present` or an error code. */
  readonly opens: Readonly<Record<string, string>>;
  /** Size of files that must read empty, by path; -1: cannot be read. */
  readonly sizes: Readonly<Record<string, number>>;
  /** By cgroup file path: its text, trimmed. */
  readonly cgroup: Readonly<Record<string, string>>;
  readonly processors: number;
  readonly nameservers: readonly string[];
  readonly addresses: readonly string[];
  /** Claims of the projected token, never the token itself. */
  readonly token?: {
    readonly sha256: string;
    readonly audiences: readonly string[];
    readonly issuedAt: number;
    readonly expiresAt: number;
    readonly podUID: string | undefined;
    readonly serviceAccount: string | undefined;
  };
  /** Why the token could not be read. */
  readonly tokenProblem?: string;
  /** Whether `/var/run/secrets/kubernetes.io/serviceaccount` exists. */
  readonly apiToken: boolean;
}
