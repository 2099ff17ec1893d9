import { BenchHub } from '../hub.ts';
import { conversationNames, ingestRequest } from '../requests.ts';
import { runLoad } from '../run-load.ts';
import type { Scenario } from '../scenario.ts';
import { alternate } from '../statistics.ts';

const connections = 64;
const few = 1_000;
const many = 1_000_000;
const perConversation = 100;
/** New messages go to these on both sides, so that only what is stored differs. */
const active = conversationNames(few);
const mostGrowth = 1.2;
const microseconds = 1_000_000;

/** What one more message costs with few and with many messages stored: time of the saturated hub per message. */
export const growth: Scenario = {
  name: 'growth',
  async run({ rounds, warmUp, seconds, shrink }, say) {
    const cost = async (name: string, hub: BenchHub): Promise<number> => {
      const request = ingestRequest({ token: hub.token, messages: 1, conversations: active, pick: 'random' });
      const { perSecond } = await runLoad({ url: hub.url, request, connections, warmUp, until: { seconds } });
      say(`${name}: ${perSecond.toFixed(0)} messages/s`);
      return microseconds / perSecond;
    };
    await using large = await BenchHub.start();
    const stored = many / shrink;
    const { perSecond: requests } = await large.fill(stored, stored / perConversation);
    say(`${stored} messages stored, ${requests.toFixed(1)} requests/s`);
    // A new one each time: what a round adds to it is many times what it holds.
    const small = async (): Promise<number> => {
      await using hub = await BenchHub.start();
      await hub.fill(few, few);
      return await cost(`${few} messages stored`, hub);
    };
    const [costFew, costMany] = (await alternate(rounds, [small, () => cost(`${stored} messages stored`, large)])) as [
      number,
      number,
    ];
    return [
      {
        what: `cost of a message with ${stored} stored`,
        unit: 'µs',
        measured: costMany,
        baseline: { what: `with ${few} stored`, value: costFew },
        aim: { of: 'ratio', most: mostGrowth },
      },
    ];
  },
};
