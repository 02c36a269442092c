/** Loaded before the service with `--import`. Each SIGUSR2 moves its clock, alternately an hour forward and back. */
const HOUR_MS = 3_600_000;
const RealDate = Date;
let shift = 0;

process.on('SIGUSR2', () => {
  shift = shift === 0 ? HOUR_MS : 0;
});

class ShiftedDate extends RealDate {
  constructor(...args: [] | [value: number | string | Date]) {
    if (args.length === 0) super(RealDate.now() + shift);
    else super(...(args as [number]));
  }

  static override now(): number {
    return RealDate.now() + shift;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
