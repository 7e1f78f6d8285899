import { addNote, countNotes, refuse, whereAmI } from './notes-procedures.ts';
import { serveProcedures } from './serve-procedures.ts';

serveProcedures([addNote, countNotes, refuse, whereAmI]);
