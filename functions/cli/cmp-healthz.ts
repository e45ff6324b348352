// `seatplan cmp healthz`: asks the plugin's server of Argo CD whether it serves. The kubelet's own gRPC probe knows no Unix sockets.
import { connect as connectHTTP2, constants } from 'node:http2';
import { connect } from 'node:net';
import { join } from 'node:path';
import { EXIT, type ExitCode, Refusal, type Shell } from './shell';

/** Where argocd-cmp-server listens unless ARGOCD_PLUGINSOCKFILEPATH says otherwise (argo-cd, common/common.go). */
const FOLDER = '/home/argocd/cmp-server/plugins';
const SECONDS = 5;
/** grpc.health.v1.Health/Check of every service of the server: one frame with an empty message. */
const PATH = '/grpc.health.v1.Health/Check';
const REQUEST = Buffer.alloc(5);
/** HealthCheckResponse{status: SERVING}: field 1, varint 1. */
const SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 1]);

/** The socket's default name is that of the plugin as it ships: its name and version. */
export async function healthz(
  { environment, version }: Shell,
  { socket }: { readonly socket?: string },
): Promise<ExitCode> {
  const folder = environment.ARGOCD_PLUGINSOCKFILEPATH || FOLDER;
  const path = socket ?? join(folder, `seatplan-v${version}.sock`);
  const answer = await check(path).catch((error: Error) => error);
  if (answer instanceof Error) {
    const { message } = answer.cause instanceof Error ? answer.cause : answer;
    throw new Refusal(`the plugin's server at ${path} does not answer: ${message}`);
  }
  if (answer.equals(SERVING)) return EXIT.fine;
  throw new Refusal(`the plugin's server at ${path} does not serve`);
}

/** The body of the answer. */
function check(path: string): Promise<Buffer> {
  return new Promise((done, fail) => {
    const session = connectHTTP2('http://localhost', { createConnection: () => connect(path) });
    const end = (result: Buffer | Error): void => {
      session.destroy();
      if (result instanceof Error) fail(result);
      else done(result);
    };
    session.once('error', end);
    session.once('close', () => end(new Error('it closed the connection')));
    session.setTimeout(SECONDS * 1000, () => end(new Error(`no answer within ${SECONDS} s`)));
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: PATH,
      [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.once('error', end);
    stream.once('end', () => end(Buffer.concat(chunks)));
    stream.end(REQUEST);
  });
}
