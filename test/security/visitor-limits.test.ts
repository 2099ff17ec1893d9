import { describe, expect, it } from 'vitest';
import { VisitorLimits } from '#src/security/visitor-limits.ts';
import { testConfig } from '../_support/config.ts';
import { ManualClock } from '../_support/manual-clock.ts';

/** Limits of two a minute for each address, and how many of the acts of each address are let in. */
function limits() {
  const clock = new ManualClock();
  const bounded = new VisitorLimits({ ...testConfig().visitors, sendsPerAddress: 2 }, clock);
  const isAdmitted = (address: string): boolean => {
    try {
      bounded.admitAddress('send', address);
      return true;
    } catch {
      return false;
    }
  };
  return { clock, admitted: (...addresses: string[]) => addresses.map(isAdmitted) };
}

describe('what an address may do', () => {
  it.each([
    ['one address', '203.0.113.7', '203.0.113.7'],
    ['a network of IPv6', '2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6'],
    ['IPv4 in another form', '203.0.113.7', '::ffff:203.0.113.7'],
  ])('is counted for %s', (_, one, two) => {
    expect(limits().admitted(one, two, one, two)).toEqual([true, true, false, false]);
  });

  it.each([
    ['two addresses', '203.0.113.7', '203.0.113.8'],
    ['two networks of IPv6', '2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['short forms of IPv6', '::1', '2001:db8::1'],
  ])('is counted apart for %s', (_, one, two) => {
    expect(limits().admitted(one, one, two, two)).toEqual([true, true, true, true]);
  });

  it('comes again evenly, and is never more than at first', () => {
    const { clock, admitted } = limits();
    expect(admitted('a', 'a', 'a')).toEqual([true, true, false]);
    clock.advance(30_000);
    expect(admitted('a', 'a')).toEqual([true, false]);
    clock.advance(3_600_000);
    expect(admitted('a', 'a', 'a')).toEqual([true, true, false]);
  });

  it('is another thing for each act', () => {
    const bounded = new VisitorLimits({ ...testConfig().visitors, sendsPerAddress: 1 }, new ManualClock());
    bounded.admitAddress('send', 'a');
    bounded.admitAddress('authenticate', 'a');
    expect(() => bounded.admitAddress('send', 'a')).toThrow('wait 60 s');
  });
});
