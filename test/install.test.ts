import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandFor } from '../scripts/compiler-advice.cjs';
import { lockFiles, missingEntries, unverified } from '../scripts/complete-lock.ts';
import { contains, satisfies } from '../scripts/install.cjs';

type Stamp = Parameters<typeof satisfies>[1];

const readJson = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

it('runs on the Node that package.json pins', () => {
  expect(process.versions.node).toBe(readJson('../package.json').dependencies.node);
});

describe('an earlier install', () => {
  const stamp: Stamp = { lock: 'a1', mode: 'development', platform: 'linux-x64' };

  it.each<[boolean, string, Stamp | undefined, Stamp]>([
    [true, 'of the same kind', stamp, stamp],
    [true, 'for development, when started for production', stamp, { ...stamp, mode: 'production' }],
    [false, 'for production, when started for development', { ...stamp, mode: 'production' }, stamp],
    [false, 'from another lock file', stamp, { ...stamp, lock: 'b2' }],
    [false, 'on another platform', stamp, { ...stamp, platform: 'darwin-arm64' }],
    [false, 'that never came to its end', undefined, stamp],
  ])('is sufficient (%s) %s', (enough, _, have, want) => {
    expect(satisfies(have, want)).toBe(enough);
  });
});

describe('packages that npm installed already', () => {
  const wanted = {
    '': { version: '0.1.0' },
    'node_modules/express': { version: '5.3.0' },
    'node_modules/vitest': { version: '4.1.12', dev: true },
    'node_modules/some-darwin': { version: '1.0.0', optional: true },
  };
  const express = { 'node_modules/express': { version: '5.3.0' } };
  const vitest = { 'node_modules/vitest': { version: '4.1.12' } };

  it('are sufficient when all are there except those for other platforms', () => {
    expect(contains({ ...express, ...vitest }, wanted, 'development')).toBe(true);
  });

  it('are sufficient for production without the development ones', () => {
    expect(contains(express, wanted, 'production')).toBe(true);
    expect(contains(express, wanted, 'development')).toBe(false);
  });

  it('are not sufficient with another version, or when there are none', () => {
    expect(contains({ 'node_modules/express': { version: '5.2.0' } }, wanted, 'production')).toBe(false);
    expect(contains({}, wanted, 'production')).toBe(false);
  });
});

describe.each(lockFiles)('%s', (lockFile) => {
  const { packages: locked } = readJson(`../${lockFile}`);

  it("names every platform's optional packages: `npm run cli -- complete-lock` adds them", () => {
    expect(missingEntries({ packages: locked })).toEqual({});
  });

  it('lets npm install only packages that it can verify', () => {
    const paths = unverified({ packages: locked });
    // Binaries for other systems than the one that created the lock file, of a developer's tool and of a benchmark's peer.
    const known = (path: string) =>
      (/^node_modules\/@biomejs\/cli-/.test(path) && locked[path].dev) ||
      (/^node_modules\/@cloudflare\/workerd-/.test(path) && lockFile.startsWith('test/bench/'));
    expect(paths.filter((path) => !known(path) || !locked[path].optional)).toEqual([]);
  });

  it('contains no package that reports installs', () => {
    const names = Object.entries<{ name?: string }>(locked).map(
      ([path, { name }]) => name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    );
    expect(names).not.toContain('@scarf/scarf');
  });
});

it('completes a lock file with the metadata of its own packages', () => {
  const parent = {
    version: '2.0.0',
    dev: true,
    optionalDependencies: { '@a/b-linux-arm64-musl': '2.0.0', '@a/b-windows-64': '2.0.0' },
  };
  expect(missingEntries({ packages: { 'node_modules/@a/b': parent } })).toEqual({
    'node_modules/@a/b-linux-arm64-musl': {
      version: '2.0.0',
      dev: true,
      optional: true,
      os: ['linux'],
      cpu: ['arm64'],
      libc: ['musl'],
    },
    'node_modules/@a/b-windows-64': { version: '2.0.0', dev: true, optional: true, os: ['win32'], cpu: ['x64'] },
  });
});

it.each([
  ['linux', 'ID=debian', 'apt-get install build-essential python3'],
  ['linux', 'ID=linuxmint\nID_LIKE="ubuntu debian"', 'apt-get install build-essential python3'],
  ['linux', 'ID=rocky\nID_LIKE="rhel centos fedora"', 'dnf install gcc-c++ make python3'],
  ['linux', 'ID=alpine', 'apk add build-base python3'],
  ['linux', 'ID=unheard-of', 'a C++ compiler, make and Python 3'],
  ['darwin', '', 'xcode-select --install'],
])('names the compiler packages for %s %j', (platform, release, command) => {
  expect(commandFor(platform, release)).toBe(command);
});
