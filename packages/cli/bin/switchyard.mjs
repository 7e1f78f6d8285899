#!/usr/bin/env node
// No static import, and no syntax newer than Node 12: an old Node must get far enough to print its message.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Switchyard needs Node 20.19 or later; this is Node ${process.versions.node}.`);
  process.exit(1);
}

const bundle = new URL('../dist/main.js', import.meta.url);
void import('node:fs').then((fs) => {
  if (fs.existsSync(bundle)) return import(bundle.href);
  console.error('Switchyard is not built yet. Run: npm run build');
  process.exitCode = 1;
});
