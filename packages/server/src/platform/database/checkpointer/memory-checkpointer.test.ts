import { openDatabase } from '../open.ts';
import { checkpointerConformance } from './checkpointer-conformance.ts';

checkpointerConformance('memory', () => openDatabase({ backend: 'memory' }));
