import sqlite3 from 'sqlite3';

/**
 * Loaded before the service with `--import`: each SIGUSR2 fills SQLite's disk, or makes room again. The database may
 * not grow beyond the pages it has, which SQLite tells in the same way as a disk that has no more.
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
