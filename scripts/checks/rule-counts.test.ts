import { describe, expect, it } from 'vitest';
import { countByRule } from './rule-counts.ts';

const rules = [
  { name: 'packages', sentence: 'Packages import what the table allows.' },
  { name: 'reached', sentence: 'An entry point reaches every line of src.' },
];
const finding = (rule: string) => ({ file: 'a.ts', line: 1, rule, found: 'something', fix: 'mend it' });

describe('the counts of the rules', () => {
  it('name every rule, also one without a finding', () => {
    expect(countByRule(rules, [finding('packages'), finding('packages')])).toEqual([
      'packages  2',
      'reached   0',
    ]);
  });

  it('refuse a finding of a rule that the table does not have', () => {
    expect(() => countByRule(rules, [finding('left-only')])).toThrow(
      'A check found left-only, which is not in the table of rules.',
    );
  });
});
