import { checkpointerConformance } from '../../../testing/checkpointer-conformance.ts';
import { openDatabase } from '../../platform/database/open.ts';

checkpointerConformance('memory', () => openDatabase({ backend: 'memory' }));
