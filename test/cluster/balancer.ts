import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** A round-robin load balancer. Each request uses a connection of its own. */
export class Balancer implements AsyncDisposable {
  /** Number of requests forwarded to each target. */
  readonly requestCounts: number[] = [];
  #targets: URL[] = [];
  #next = 0;
  readonly #server = createServer((request, response) => {
    const index = this.#next++ % this.#targets.length;
    this.requestCounts[index] = (this.requestCounts[index] ?? 0) + 1;
    const { hostname, port } = this.#targets[index] as URL;
    const { method, url: path, headers } = request;
    const passed = send({ hostname, port, method, path, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      void pipeline(answer, response).catch(() => response.destroy());
    });
    passed.once('error', () => response.writeHead(502).end());
    request.pipe(passed);
  });

  static async start(): Promise<Balancer> {
    const balancer = new Balancer();
    await new Promise<void>((done) => balancer.#server.listen(0, '127.0.0.1', done));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sets the targets. */
  setTargets(...urls: string[]): void {
    this.#targets = urls.map((url) => new URL(url));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}
