import { type Clause, invalidFilter } from '../../filter.ts';
import { comparisonOf, namedOrSaid } from './fields.ts';
import type { SearchIndex } from './index.ts';
import type { OrdinalSet } from './ordinals.ts';

/**
 * The conversations that a filter leaves, of those that have appeared.
 * @throws Failure `invalid_filter` for unknown fields and for values that the field can't have; `unavailable` while the
 * index is being built
 */
export function foundBy(index: SearchIndex, clause: Clause): OrdinalSet {
  return index.columns.present().intersect(leftBy(index, clause));
}

function leftBy(index: SearchIndex, clause: Clause): OrdinalSet {
  switch (clause.kind) {
    case 'all':
      return clause.clauses.reduce((left, inner) => left.intersect(leftBy(index, inner)), index.columns.present());
    case 'any':
      return clause.clauses.map((inner) => leftBy(index, inner)).reduce((all, one) => all.unite(one));
    case 'not':
      return index.columns.present().subtract(leftBy(index, clause.clause));
    case 'match':
      index.mustGoOn();
      return clause.field === null
        ? namedOrSaid(index, clause.value)
        : comparisonOf(index, clause.field).match(clause.value);
    case 'range': {
      index.mustGoOn();
      const comparison = comparisonOf(index, clause.field);
      if (!comparison.range) throw invalidFilter(clause.field.at, 'A range on a field without an order');
      return comparison.range(clause);
    }
  }
}
