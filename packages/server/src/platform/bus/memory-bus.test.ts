import { busConformance } from '../../../testing/bus-conformance.ts';
import { MemoryBus } from './memory-bus.ts';

busConformance('memory', async () => {
  const bus = new MemoryBus();
  return { here: bus, there: bus, close: () => bus.close() };
});
