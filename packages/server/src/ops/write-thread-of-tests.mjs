/** The thread of tests: TypeScript without a bundle. */
import { register } from 'tsx/esm/api';

register();
await import('./write-thread.ts');
