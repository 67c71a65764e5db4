/** A statement of a migration that could disturb a running server of the previous version. */
export interface RuleViolation {
  rule: string
  statement: string
}

interface Rule {
  pattern: RegExp
  /** Whether the rule also applies to a table that the same migration creates. */
  newTables?: true
}

const VOLATILE = 'random|gen_random_uuid|uuidv[47]|clock_timestamp|timeofday|nextval'

/** Statements that rewrite or scan a table under a lock, block writes, or break the previous version. */
const RULES: Record<string, Rule> = {
  'create index': { pattern: /^create (unique )?index (?!concurrently)/ },
  'add column not null': { pattern: /^alter table .*\badd (column )?(?!constraint).* not null(?!.* default )/ },
  'add column with a rewrite': {
    pattern: new RegExp(
      `^alter table .*\\badd (column )?(?!constraint).*(\\bgenerated\\b|\\b(big|small)?serial\\b|\\bdefault\\b.*\\b(${VOLATILE})\\b)`,
    ),
  },
  'alter column type': { pattern: /^alter table .*\balter (column )?\S+ (set data )?type / },
  'set not null': { pattern: /^alter table .*\bset not null/ },
  'add constraint': {
    pattern: /^alter table .*\badd (constraint|foreign key|primary key|unique|check)\b(?!.*( not valid| using index ))/,
  },
  drop: { pattern: /^(drop (table|view|function)|alter table .*\bdrop column)\b/ },
  rename: { pattern: /^alter (table|index|sequence|function) .*\brename\b/ },
  'change rows': { pattern: /^(update|delete from|truncate|insert into .*\bselect)\b/ },
  lock: {
    pattern: /^(lock table|vacuum full|cluster|reindex (?!.*concurrently)|refresh materialized view (?!concurrently))/,
    newTables: true,
  },
}

const INDEX = /^create (?:unique )?index concurrently (?:if not exists )?(\S+)/

/**
 * Finds the statements of a migration that must not run while servers of the previous version are running.
 * @param transactional whether the migration runs in a transaction
 */
export function findViolations(statements: readonly string[], transactional: boolean): RuleViolation[] {
  const normal = statements.map((text) => text.toLowerCase().replaceAll('"', '').replace(/\s+/g, ' ').trim())
  const created = new Set(normal.flatMap((text) => /^create table (?:if not exists )?([\w.]+)/.exec(text)?.[1] ?? []))
  const violations: RuleViolation[] = []
  for (const [index, text] of normal.entries()) {
    const [, table] =
      /^(?:alter table (?:if exists )?(?:only )?|update |create (?:unique )?index .*? on )([\w.]+)/.exec(text) ?? []
    for (const [rule, { pattern, newTables }] of Object.entries(RULES))
      if (pattern.test(text) && (newTables || !table || !created.has(table)))
        violations.push({ rule, statement: statements[index]! })
    const [, name] = INDEX.exec(text) ?? []
    if (!name) continue
    if (transactional) violations.push({ rule: 'concurrently in a transaction', statement: statements[index]! })
    // If PostgreSQL cannot build an index, an invalid index of this name remains. A retry must drop this index first.
    if (!normal.slice(0, index).some((earlier) => earlier.startsWith(`drop index concurrently if exists ${name}`)))
      violations.push({ rule: 'concurrently without drop index', statement: statements[index]! })
  }
  return violations
}
