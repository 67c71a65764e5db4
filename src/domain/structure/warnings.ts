import { distance } from 'fastest-levenshtein'
import { filterWarnings } from './filter-warnings.ts'
import { kindOf, kinds } from './kinds.ts'
import { oldMembers } from './old-members.ts'
import { pipingWarnings } from './piping-warnings.ts'
import { reservedIdWarnings } from './reserved-ids.ts'
import { memberNames, type Schema, structureSchema } from './schema.ts'
import { childSchemas, expandSchema } from './schema-at.ts'
import { arrayOf, isRecord, type Json, under } from './walk.ts'

/** A probable mistake in an accepted structure, or a change of the structure that affects stored answers. */
export interface StructureWarning {
  /** JSON pointer of the member (RFC 6901). */
  pointer: string
  code:
    | 'unknown_member'
    | 'unknown_question_type'
    | 'piped_on_same_page'
    | 'reserved_id'
    | 'score_order'
    | 'choice_never_shown'
    | 'no_questions'
    | 'untitled_question'
    | 'default_choice'
    | 'untranslated_text'
    | 'missing_system_texts'
    | 'unreachable_page'
    | 'unreachable_question'
    | 'unreachable_skip'
    | 'contradictory_rules'
    | 'answered_question_removed'
    | 'answered_question_type_changed'
    | 'answered_choice_removed'
  message: string
  /** The names and numbers that the message contains. */
  values: Readonly<Record<string, string | number>>
}

const MAX_WARNINGS = 100

/**
 * All members that the schema defines at some position in a structure, and those that the editors of the original
 * service write. They are never reported as misspelt.
 */
const knownMembers = new Set([...oldMembers, ...memberNames(structureSchema)])

/**
 * Returns the probable mistakes of an accepted structure: unknown members with a name close to a known one, unknown
 * question types, placeholders for questions that are not answered yet when the page is shown, questions with the name
 * of a query parameter, and choices that can never be shown. Other unknown members cause no warning.
 */
export function structureWarnings(structure: unknown): StructureWarning[] {
  const warnings: StructureWarning[] = []
  const suspects = suspectsIn(structure)
  visit(warnings, expandSchema(structureSchema, structureSchema, structure), structure, '', suspects)
  if (isRecord(structure))
    warnings.push(
      ...pipingWarnings(structure.form),
      ...reservedIdWarnings(structure.form),
      ...filterWarnings(structure.form),
    )
  return warnings.slice(0, MAX_WARNINGS)
}

/**
 * Returns the objects and arrays that have an unknown member or question type, or contain one that has. Only these are
 * compared with the schema, because finding the schema of a value takes long.
 */
function suspectsIn(structure: unknown): ReadonlySet<unknown> {
  const suspects = new Set<unknown>()
  // Texts have the codes of languages as names.
  const languages = isRecord(structure) ? arrayOf(structure.languages) : []
  const codes = new Set<unknown>(['en', ...languages.map((language) => isRecord(language) && language.code)])
  const isSuspect = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return false
    let found = isRecord(value) && 'idname' in value && kindOf(value.idname) === 'unknown'
    for (const [name, member] of Object.entries(value)) {
      // The attributes of choices have names of the author.
      if (name !== 'attributes' && isSuspect(member)) found = true
      if (!Array.isArray(value) && !knownMembers.has(name) && !codes.has(name)) found = true
    }
    if (found) suspects.add(value)
    return found
  }
  isSuspect(structure)
  return suspects
}

function visit(
  warnings: StructureWarning[],
  schemas: readonly Schema[],
  value: unknown,
  pointer: string,
  suspects: ReadonlySet<unknown>,
): void {
  if (schemas.length === 0 || warnings.length >= MAX_WARNINGS || !suspects.has(value)) return
  if (isRecord(value)) warnings.push(...memberWarnings(value, schemas, pointer))
  for (const [step, member] of Array.isArray(value) ? value.entries() : isRecord(value) ? Object.entries(value) : []) {
    if (typeof member !== 'object' || member === null || !suspects.has(member)) continue
    const schemasOfMember = childSchemas(structureSchema, schemas, step, withoutSynonym(member))
    visit(warnings, schemasOfMember, member, under(pointer, step), suspects)
  }
}

/** Replaces a synonym of a question type with its name in the schema. */
const withoutSynonym = (value: object): object =>
  'idname' in value && !Array.isArray(value) ? { ...value, idname: kindOf(value.idname) } : value

function memberWarnings(value: Json, schemas: readonly Schema[], pointer: string): StructureWarning[] {
  const unknownNames = Object.keys(value).filter((name) => !knownMembers.has(name))
  if (unknownNames.length === 0 && !('idname' in value)) return []
  const allowed = schemas.flatMap(({ properties = {} }) => Object.keys(properties))
  const misspelt = unknownNames.flatMap((name): StructureWarning[] => {
    const suggestion = closestName(name, allowed)
    if (suggestion === undefined) return []
    const message = `“${name}” has no effect. Did you mean “${suggestion}”?`
    return [{ pointer: under(pointer, name), code: 'unknown_member', message, values: { name, suggestion } }]
  })
  return allowed.includes('idname') ? [...misspelt, ...typeWarnings(value, pointer)] : misspelt
}

function typeWarnings({ idname }: Json, pointer: string): StructureWarning[] {
  if (typeof idname !== 'string' || !idname || kindOf(idname) !== 'unknown') return []
  const suggestion = closestName(idname, Object.keys(kinds))
  const name = idname.slice(0, 60)
  const message = `“${name}” is not a known question type. Respondents see only its title and description.${suggestion ? ` Did you mean “${suggestion}”?` : ''}`
  const values = { name, ...(suggestion !== undefined && { suggestion }) }
  return [{ pointer: under(pointer, 'idname'), code: 'unknown_question_type', message, values }]
}

/**
 * Returns the known name that is closest to a misspelt name. The edit distance may be at most one for a short name and
 * at most three for a long name.
 */
function closestName(name: string, candidates: readonly string[]): string | undefined {
  const maxEdits = name.length <= 5 ? 1 : name.length <= 9 ? 2 : 3
  const [closest] = candidates
    .filter((candidate) => Math.abs(candidate.length - name.length) <= maxEdits)
    .map((candidate) => ({ candidate, edits: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)
  return name.length > 1 && closest && closest.edits <= maxEdits ? closest.candidate : undefined
}

/** Returns the edit distance of two names; two swapped letters count as one edit. */
function editDistance(a: string, b: string): number {
  const edits = distance(a, b)
  const sameLetters = [...a].sort().join('') === [...b].sort().join('')
  return edits === 2 && sameLetters ? 1 : edits
}
