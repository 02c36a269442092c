/** Returns milliseconds since the epoch. Code that needs the time accepts a `Clock`, so that tests can move it. */
export type Clock = () => number;

export const secondsOf = (milliseconds: number): number => Math.floor(milliseconds / 1000);
