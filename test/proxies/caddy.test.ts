import { describeProxy } from './proxy-suite.ts';

describeProxy('caddy');
