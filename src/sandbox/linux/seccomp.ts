// System calls that namespaces do not hold: the keyring of the session, sockets to a hypervisor, tracing,
// and what has been a way out of kernels before. Each of them answers "not permitted".

const CALLS: Readonly<Record<'x64' | 'arm64', Record<string, number>>> = {
  x64: {
    socket: 41,
    ptrace: 101,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    perf_event_open: 298,
    process_vm_readv: 310,
    process_vm_writev: 311,
    bpf: 321,
    userfaultfd: 323,
    io_uring_setup: 425,
    io_uring_enter: 426,
    io_uring_register: 427,
  },
  arm64: {
    socket: 198,
    ptrace: 117,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    perf_event_open: 241,
    process_vm_readv: 270,
    process_vm_writev: 271,
    bpf: 280,
    userfaultfd: 282,
    io_uring_setup: 425,
    io_uring_enter: 426,
    io_uring_register: 427,
  },
};
const ARCHITECTURE = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const FAMILIES = [1, 2, 10, 16];

const LOAD = 0x20;
const EQUALS = 0x15;
const AT_LEAST = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const NOT_PERMITTED = 0x00050001;
/** Calls of the x32 form of x64, which have numbers of their own. */
const X32 = 0x40000000;

type Step = [code: number, whenTrue: number, whenFalse: number, value: number];

/** A filter as the kernel reads it; undefined for processors it is not written for. */
export function seccompFilter(arch: string = process.arch): Buffer | undefined {
  if (arch !== 'x64' && arch !== 'arm64') return undefined;
  const { socket, ...others } = CALLS[arch];
  const refused = Object.values(others);
  const steps: Step[] = [
    [LOAD, 0, 0, 4],
    [EQUALS, 1, 0, ARCHITECTURE[arch]],
    [RETURN, 0, 0, NOT_PERMITTED],
    [LOAD, 0, 0, 0],
    [AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, NOT_PERMITTED],
    ...refused.flatMap((number): Step[] => [
      [EQUALS, 0, 1, number],
      [RETURN, 0, 0, NOT_PERMITTED],
    ]),
    [EQUALS, 1, 0, socket!],
    [RETURN, 0, 0, ALLOW],
    // The family is the first argument.
    [LOAD, 0, 0, 16],
    ...FAMILIES.flatMap((family): Step[] => [
      [EQUALS, 0, 1, family],
      [RETURN, 0, 0, ALLOW],
    ]),
    [RETURN, 0, 0, NOT_PERMITTED],
  ];
  const filter = Buffer.alloc(steps.length * 8);
  for (const [index, [code, whenTrue, whenFalse, value]] of steps.entries()) {
    filter.writeUInt16LE(code, index * 8);
    filter.writeUInt8(whenTrue, index * 8 + 2);
    filter.writeUInt8(whenFalse, index * 8 + 3);
    filter.writeUInt32LE(value, index * 8 + 4);
  }
  return filter;
}
