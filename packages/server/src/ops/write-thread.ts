/** The thread that writes to SQLite, as the bundle has it: a file of its own beside the gateway. */
import { serveProcedures } from '../platform/database/write-thread/serve-procedures.ts';
import { procedures } from './procedures.ts';

serveProcedures(procedures);
