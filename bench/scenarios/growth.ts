import { BenchHub } from '../hub.ts';
import { conversationNames, ingestRequest } from '../requests.ts';
import { runLoad } from '../run-load.ts';
import type { Scenario } from '../scenario.ts';
import { alternate } from '../statistics.ts';

const connections = 64;
const few = 1_000;
const many = 1_000_000;
const perConversation = 100;
const mostGrowth = 1.3;
const microseconds = 1_000_000;

/** What one more message costs with few and with many messages stored: time of the saturated hub per message. */
export const growth: Scenario = {
  name: 'growth',
  async run({ rounds, warmUp, seconds, shrink }, say) {
    await using small = await BenchHub.start();
    await using large = await BenchHub.start();
    const stored = many / shrink;
    // The new messages go to the same number of conversations on both sides: only what is stored differs.
    const conversations = stored / perConversation;
    await small.fill(few, few);
    const { perSecond: requests } = await large.fill(stored, conversations);
    say(`${stored} messages stored, ${requests.toFixed(1)} requests/s`);
    const side = (name: string, hub: BenchHub) => async (): Promise<number> => {
      const request = ingestRequest({
        token: hub.token,
        messages: 1,
        conversations: conversationNames(conversations),
        pick: 'random',
      });
      const { perSecond } = await runLoad({ url: hub.url, request, connections, warmUp, until: { seconds } });
      say(`${name}: ${perSecond.toFixed(0)} messages/s`);
      return microseconds / perSecond;
    };
    const [costFew, costMany] = (await alternate(rounds, [
      side(`${few} messages stored`, small),
      side(`${stored} messages stored`, large),
    ])) as [number, number];
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
