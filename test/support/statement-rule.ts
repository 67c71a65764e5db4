import { loadModule, parseSync } from 'libpg-query'
import { ACROSS_SURVEYS, DISTRIBUTED_TABLES, REFERENCE_TABLES } from '../../src/domain/tables.ts'
import { Equalities, ONE, type Term } from './equalities.ts'

await loadModule()

type Node = Record<string, unknown>

/** A row source of a FROM clause, or the table that a statement modifies. */
interface Source {
  id: number
  /** The name of the table. It is missing for a subquery. */
  table?: string
}

/** The row sources that an expression can name, innermost query first. */
type Scope = readonly ReadonlyMap<string, Source>[]

const distributed: ReadonlySet<string> = new Set(DISTRIBUTED_TABLES)
const reference: ReadonlySet<string> = new Set(REFERENCE_TABLES)
/** The column by which the tables of responses are distributed. */
const DISTRIBUTION_COLUMN = 'survey_id'

const MODIFYING = ['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'] as const
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/**
 * Returns whether an expression is the parameter `surveys` of a function. This array contains one survey on a
 * distributed database.
 */
function isSurveys(expression: unknown): boolean {
  const { ColumnRef } = expression as { ColumnRef?: { fields: { String?: { sval: string } }[] } }
  return ColumnRef?.fields.length === 1 && ColumnRef.fields[0]!.String?.sval === 'surveys'
}

/** Returns whether a text could name a table of responses: a cheap check before a statement is parsed. */
export const mayNameDistributed = (text: string): boolean => /\bresponse|survey_feed/.test(text)

/**
 * Checks a statement against the rule that allows the responses to be distributed over several nodes (docs/adr/0101). A
 * statement on tables of responses names one survey, joins only these tables and reference tables, and modifies only
 * one table. A query may read all surveys if it contains the comment `ACROSS_SURVEYS`.
 * @returns the violations; none if the statement follows the rule
 */
export function violations(text: string): string[] {
  const { stmts = [] } = parseSync(text) as unknown as { stmts?: { stmt: Node }[] }
  return stmts.flatMap(({ stmt }) => new Checker(text.includes(ACROSS_SURVEYS)).check(stmt))
}

class Checker {
  readonly #acrossSurveys: boolean
  readonly #equalities = new Equalities()
  readonly #tables: Source[] = []
  readonly #local = new Set<string>()
  readonly #found = new Set<string>()
  readonly #inserted: { table: string; values: Term[] }[] = []
  #modified = 0
  #sources = 0

  constructor(acrossSurveys: boolean) {
    this.#acrossSurveys = acrossSurveys
  }

  check(statement: Node): string[] {
    this.#statement(statement, [], new Set())
    const named = this.#tables.filter(({ table }) => distributed.has(table!))
    if (!named.length && !this.#inserted.length) return []
    const modifies = this.#modified > 0
    for (const { id, table } of named)
      if (!this.#equalities.isOne(`${id}.${DISTRIBUTION_COLUMN}`) && !(this.#acrossSurveys && !modifies))
        this.#found.add(`${table}: names no single survey`)
    for (const { table, values } of this.#inserted)
      if (!values.every((value) => this.#equalities.isOne(value)))
        this.#found.add(`${table}: inserts rows of no single survey`)
    for (const table of this.#local) this.#found.add(`${table}: is neither distributed nor on every node`)
    if (this.#modified > 1) this.#found.add('modifies several tables in one statement')
    return [...this.#found]
  }

  #statement(statement: Node, outer: Scope, ctes: ReadonlySet<string>): void {
    const [[kind, body] = []] = Object.entries(statement)
    if (kind === 'SelectStmt') this.#select(body as Node, outer, ctes)
    else if (MODIFYING.some((name) => name === kind)) this.#modify(kind!, body as Node, outer, ctes)
    else if (kind === 'CopyStmt' || kind === 'ExplainStmt' || kind === 'DeclareCursorStmt')
      this.#statement((body as Node).query as Node, outer, ctes)
  }

  /** Checks the common table expressions of a statement. @returns the names of all that the statement can use */
  #ctes({ withClause }: Node, outer: Scope, ctes: ReadonlySet<string>): ReadonlySet<string> {
    if (!isNode(withClause)) return ctes
    const members = (withClause.ctes as Node[]).map(({ CommonTableExpr }) => CommonTableExpr as Node)
    const names = new Set([...ctes, ...members.map(({ ctename }) => ctename as string)])
    for (const { ctequery } of members) this.#statement(ctequery as Node, outer, names)
    return names
  }

  #select(select: Node, outer: Scope, before: ReadonlySet<string>): void {
    const ctes = this.#ctes(select, outer, before)
    if (isNode(select.larg) && isNode(select.rarg))
      for (const side of [select.larg, select.rarg]) this.#select(side, outer, ctes)
    const level = new Map<string, Source>()
    const scope = [level, ...outer]
    for (const item of (select.fromClause ?? []) as Node[]) this.#source(item, level, scope, ctes)
    this.#condition(select.whereClause, scope, ctes)
    for (const part of [
      'targetList',
      'groupClause',
      'havingClause',
      'sortClause',
      'limitOffset',
      'limitCount',
      'valuesLists',
    ])
      this.#expression(select[part], scope, ctes)
  }

  #modify(kind: string, body: Node, outer: Scope, before: ReadonlySet<string>): void {
    const ctes = this.#ctes(body, outer, before)
    this.#modified += 1
    const { relname } = body.relation as { relname: string }
    const level = new Map<string, Source>()
    const scope = [level, ...outer]
    if (kind === 'InsertStmt') {
      this.#insert(relname, body, scope, ctes)
      return
    }
    this.#table(body.relation as Node, level, ctes)
    for (const item of [...((body.fromClause ?? []) as Node[]), ...((body.usingClause ?? []) as Node[])])
      this.#source(item, level, scope, ctes)
    this.#condition(body.whereClause, scope, ctes)
    for (const part of ['targetList', 'returningList', 'returningClause']) this.#expression(body[part], scope, ctes)
  }

  /** Checks an INSERT. It may read rows from a table on another node than its target, because Citus copies the rows. */
  #insert(table: string, body: Node, scope: Scope, ctes: ReadonlySet<string>): void {
    const rows = (body.selectStmt as Node | undefined)?.SelectStmt as Node | undefined
    if (!rows) return
    const position = ((body.cols ?? []) as Node[]).findIndex(
      ({ ResTarget }) => (ResTarget as Node).name === DISTRIBUTION_COLUMN,
    )
    const lists = rows.valuesLists as Node[] | undefined
    if (lists) {
      this.#expression(lists, scope, ctes)
      const values = lists.map(({ List }) => this.#term(((List as Node).items as Node[])[position], scope))
      if (distributed.has(table)) this.#inserted.push({ table, values: values.map((value) => value ?? 'unknown') })
      return
    }
    // The value of `survey_id` is looked up in the scope of the SELECT that supplies the rows.
    const inner = this.#ctes(rows, scope, ctes)
    const level = new Map<string, Source>()
    const own = [level, ...scope]
    this.#select({ ...rows, withClause: undefined, fromClause: [] }, own, inner)
    for (const item of (rows.fromClause ?? []) as Node[]) this.#source(item, level, own, inner)
    this.#condition(rows.whereClause, own, inner)
    const target = ((rows.targetList ?? []) as Node[])[position]?.ResTarget as Node | undefined
    if (distributed.has(table)) this.#inserted.push({ table, values: [this.#term(target?.val, own) ?? 'unknown'] })
  }

  #source(item: Node, level: Map<string, Source>, scope: Scope, ctes: ReadonlySet<string>): void {
    const { RangeVar, JoinExpr, RangeSubselect, RangeFunction } = item as Record<string, Node | undefined>
    if (RangeVar) this.#table(RangeVar, level, ctes)
    else if (JoinExpr) {
      this.#source(JoinExpr.larg as Node, level, scope, ctes)
      this.#source(JoinExpr.rarg as Node, level, scope, ctes)
      this.#condition(JoinExpr.quals, scope, ctes)
      this.#using(JoinExpr, level)
    } else if (RangeSubselect) {
      this.#add(level, RangeSubselect.alias, {})
      this.#statement(RangeSubselect.subquery as Node, scope, ctes)
    } else if (RangeFunction) {
      this.#add(level, RangeFunction.alias, {})
      this.#expression(RangeFunction.functions, scope, ctes)
    }
  }

  #table(range: Node, level: Map<string, Source>, ctes: ReadonlySet<string>): void {
    const { relname, schemaname, alias } = range as { relname: string; schemaname?: string; alias?: Node }
    const isCte = !schemaname && ctes.has(relname)
    const source = this.#add(level, alias ?? { aliasname: relname }, isCte ? {} : { table: relname })
    if (isCte || schemaname) return
    this.#tables.push(source)
    if (!distributed.has(relname) && !reference.has(relname)) this.#local.add(relname)
  }

  #add(level: Map<string, Source>, alias: unknown, { table }: { table?: string }): Source {
    this.#sources += 1
    const source = { id: this.#sources, ...(table !== undefined && { table }) }
    level.set((alias as { aliasname?: string } | undefined)?.aliasname ?? `#${source.id}`, source)
    return source
  }

  #using({ usingClause }: Node, level: ReadonlyMap<string, Source>): void {
    const columns = ((usingClause ?? []) as { String: { sval: string } }[]).map(({ String: name }) => name.sval)
    const sources = [...level.values()]
    for (const column of columns)
      for (const source of sources.slice(1))
        this.#equalities.equate(`${source.id}.${column}`, `${sources[0]!.id}.${column}`)
  }

  /** Records the equalities that a condition ensures: those of all operands of AND, but none of the operands of OR. */
  #condition(condition: unknown, scope: Scope, ctes: ReadonlySet<string>): void {
    if (!isNode(condition)) return
    const { BoolExpr, A_Expr } = condition as { BoolExpr?: Node; A_Expr?: Node }
    if (BoolExpr?.boolop === 'AND_EXPR') for (const part of BoolExpr.args as Node[]) this.#condition(part, scope, ctes)
    else {
      if (A_Expr?.kind === 'AEXPR_OP' && (A_Expr.name as { String: { sval: string } }[]).at(-1)?.String.sval === '=') {
        const [left, right] = [this.#term(A_Expr.lexpr, scope), this.#term(A_Expr.rexpr, scope)]
        if (left && right) this.#equalities.equate(left, right)
      }
      this.#expression(condition, scope, ctes)
    }
  }

  /** Checks the subqueries of an expression. */
  #expression(expression: unknown, scope: Scope, ctes: ReadonlySet<string>): void {
    if (Array.isArray(expression)) for (const part of expression) this.#expression(part, scope, ctes)
    else if (isNode(expression)) {
      const { SubLink, SelectStmt } = expression as { SubLink?: Node; SelectStmt?: Node }
      if (SubLink) {
        this.#expression(SubLink.testexpr, scope, ctes)
        this.#statement(SubLink.subselect as Node, scope, ctes)
      } else if (SelectStmt) this.#select(SelectStmt, scope, ctes)
      else for (const part of Object.values(expression)) this.#expression(part, scope, ctes)
    }
  }

  /** Returns the term of a column, parameter or constant; undefined for another expression. */
  #term(expression: unknown, scope: Scope): Term | undefined {
    if (!isNode(expression)) return undefined
    const { TypeCast, ParamRef, A_Const, A_Indirection, ColumnRef } = expression as Record<string, Node | undefined>
    if (TypeCast) return this.#term(TypeCast.arg, scope)
    if (A_Indirection && isSurveys(A_Indirection.arg)) return ONE
    if (ParamRef || A_Const) return ONE
    if (!ColumnRef) return undefined
    const names = (ColumnRef.fields as { String?: { sval: string } }[]).map((field) => field.String?.sval ?? '*')
    if (names.length === 1 && names[0] === 'of_survey') return ONE
    const [source, column] = names.length > 1 ? names.slice(-2) : [undefined, names[0]]
    if (source !== undefined) {
      const found = scope.find((level) => level.has(source))?.get(source)
      return found && `${found.id}.${column}`
    }
    const [level] = scope
    const candidates = [...(level?.values() ?? [])]
    const only =
      candidates.length === 1 ? candidates : candidates.filter(({ table }) => table && distributed.has(table))
    return only.length === 1 ? `${only[0]!.id}.${column}` : undefined
  }
}
