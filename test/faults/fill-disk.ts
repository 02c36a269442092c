import sqlite3 from 'sqlite3';

/**
 * Loaded before the service with `--import`. Each SIGUSR2 fills SQLite's disk, or makes room again: it limits the
 * number of pages of the database, which SQLite reports with the same error as a full disk.
 */
const MAX_PAGES = 1_073_741_823;
const opened = new Set<sqlite3.Database>();
let isFull = false;

const { exec } = sqlite3.Database.prototype;
sqlite3.Database.prototype.exec = function (sql, done) {
  if (sql.includes('journal_mode')) opened.add(this);
  this.once('close', () => opened.delete(this));
  return exec.call(this, sql, done);
};

process.on('SIGUSR2', () => {
  isFull = !isFull;
  for (const database of opened) exec.call(database, `pragma max_page_count = ${isFull ? 1 : MAX_PAGES}`);
});
