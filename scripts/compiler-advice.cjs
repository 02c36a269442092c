'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');

/** How to install a compiler, by `ID` and `ID_LIKE` in /etc/os-release. */
const LINUX = [
  { family: /debian|ubuntu/, command: 'apt-get install build-essential python3' },
  { family: /fedora|rhel|centos/, command: 'dnf install gcc-c++ make python3' },
  { family: /suse/, command: 'zypper install gcc-c++ make python3' },
  { family: /arch/, command: 'pacman -S base-devel python' },
  { family: /alpine/, command: 'apk add build-base python3' },
];

/** @type {(program: string) => boolean} */
const isMissing = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status !== 0;

/** @type {(platform: string, release: string) => string} */
const commandFor = (platform, release) => {
  if (platform === 'darwin') return 'xcode-select --install';
  if (platform === 'win32') return 'winget install Microsoft.VisualStudio.2022.BuildTools Python.Python.3.13';
  const family = (release.match(/^ID(_LIKE)?=.*$/gm) || []).join(' ');
  const known = LINUX.find((entry) => entry.family.test(family));
  return known ? known.command : 'a C++ compiler, make and Python 3';
};

/** Returns one sentence: the missing build tools and the command that installs them. @type {() => string} */
const compilerAdvice = () => {
  const release = fs.existsSync('/etc/os-release') ? fs.readFileSync('/etc/os-release', 'utf8') : '';
  const command = commandFor(process.platform, release);
  const missing = process.platform === 'win32' ? [] : ['make', 'c++', 'python3'].filter(isMissing);
  return missing.length > 0
    ? `Missing: ${missing.join(', ')}. Install with: ${command}`
    : `Compiling needs: ${command}`;
};

module.exports = { commandFor, compilerAdvice };
