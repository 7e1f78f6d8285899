import { databaseConformance } from '../../../testing/database-conformance.ts';
import { openDatabase } from './open.ts';

databaseConformance('memory', () => openDatabase({ backend: 'memory' }));
