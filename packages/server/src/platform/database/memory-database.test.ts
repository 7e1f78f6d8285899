import { databaseConformance } from '../../../testing/database-conformance.ts';
import { openDatabase } from './open.ts';

databaseConformance('memory', (meter) => openDatabase({ backend: 'memory' }, meter));
