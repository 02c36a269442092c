const WIDTH = 24;

/** A progress bar on a terminal; elsewhere, such as in a log, one line for each tenth. */
export class Progress {
  #total = 0;
  #done = 0;
  #shown = -1;

  start(total: number): void {
    this.#total = total;
  }

  /** @param what the current table */
  add(count: number, what: string): void {
    this.#done += count;
    const percent = this.#total === 0 ? 100 : Math.floor((this.#done * 100) / this.#total);
    const step = process.stderr.isTTY ? 1 : 10;
    if (Math.floor(percent / step) === this.#shown) return;
    this.#shown = Math.floor(percent / step);
    const bar = '#'.repeat(Math.floor((percent * WIDTH) / 100)).padEnd(WIDTH, '.');
    const line = `[${bar}] ${percent} %  ${this.#done} of ${this.#total} rows  ${what}`;
    process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
  }

  end(): void {
    if (process.stderr.isTTY) process.stderr.write('\n');
  }
}
