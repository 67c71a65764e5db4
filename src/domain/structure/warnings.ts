import { distance } from 'fastest-levenshtein'
import { filteredKinds, isFiltering, kindOf, questionTypes, typeOf } from '../../questions/index.ts'
import { indexByName } from './check-condition.ts'
import { attributeValues, filtersOf, filterValueOf } from './choice-attributes.ts'
import { childSchemas, expandSchema, memberNames, type Schema } from './json-schema.ts'
import { listsOutOfOrder, type NumberedStructure } from './numbering.ts'
import { outline, type QuestionOutline } from './outline.ts'
import { reservedIdWarnings } from './reserved-ids.ts'
import { structureSchema } from './schema.ts'
import { authoredSetting, optionOf } from './setting.ts'
import type { Structure, StructureWarning } from './structure.ts'
import { namesWithoutDefault } from './text.ts'
import { arrayOf, codeOf, isPresent, type Json, membersOf, pageNodes, recordsIn, under } from './walk.ts'

/**
 * Members that the editors of the original service, which Canvass replaces, write into structures. Canvass stores these
 * members. Only `appearance`, the `categories` of a net-promoter question and the `uid` of a choice or row have an
 * effect.
 */
export const oldMembers: readonly string[] = [
  'alphabetize',
  'alternateBackground',
  'appearance',
  'categories',
  'cols',
  'display',
  'flipOrder',
  'grouped',
  'has_cols',
  'questionSize',
  'randomizeLimit',
  'showBorders',
  'showBranchingInfo',
  'showCatLabels',
  'static',
  'staticcol',
  'uid',
  'unique',
  'uniqueError',
  'uniques',
]

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
  const { form } = membersOf(structure)
  warnings.push(...pipingWarnings(form), ...reservedIdWarnings(form), ...filterWarnings(form))
  return warnings.slice(0, MAX_WARNINGS)
}

/**
 * Returns the objects and arrays that have an unknown member or question type, or contain one that has. Only these are
 * compared with the schema, because finding the schema of a value takes long.
 */
function suspectsIn(structure: unknown): ReadonlySet<unknown> {
  const suspects = new Set<unknown>()
  // Texts have the codes of languages as names.
  const codes = new Set<unknown>(['en', ...recordsIn(membersOf(structure).languages).map(({ code }) => code)])
  const isSuspect = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return false
    let found = 'idname' in value && kindOf(value.idname) === 'unknown'
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
  if (!Array.isArray(value)) warnings.push(...memberWarnings(membersOf(value), schemas, pointer))
  for (const [step, member] of Array.isArray(value) ? value.entries() : Object.entries(membersOf(value))) {
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
  const suggestion = closestName(idname, Object.keys(questionTypes))
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

/** A question whose answer filters choices, with its choices by the texts with which attributes name them. */
interface Filtering {
  question: QuestionOutline
  attribute: string
  choices: ReadonlyMap<string, Json>
}

/**
 * Returns a warning for each choice that no answer to the earlier questions can match. The attributes of two filters are
 * compared if one of their questions filters the choices of the other, as a country filters the counties.
 */
function filterWarnings(form: unknown): StructureWarning[] {
  const questions = outline(pageNodes(form))
  const byName = indexByName(questions)
  const filteringOf = ({ source, kind }: QuestionOutline): Filtering[] =>
    (filteredKinds.has(kind) ? filtersOf(source) : []).flatMap(({ question: name, attribute }) => {
      const question = byName.get(name)
      return question && isFiltering(question.kind) ? [{ question, attribute, choices: choicesByName(question) }] : []
    })
  return questions.flatMap((question) => {
    const filters = filteringOf(question).filter(({ choices }) => choices.size > 0)
    if (filters.length === 0) return []
    const filtersOfFilters = filters.map((filter) => filteringOf(filter.question))
    const list = `${question.pointer}${isPresent(optionOf(question.source)?.choices) ? '/children/0' : ''}/choices`
    return arrayOf(authoredSetting(question.source, 'choices')).flatMap((value, index): StructureWarning[] => {
      const choice = membersOf(value)
      const matching = filters.map(({ attribute, choices }) =>
        attributeValues(choice, attribute)?.filter((value) => choices.has(value)),
      )
      const isPossible = filters.every(({ choices }, position) => {
        const values = matching[position]
        if (!values) return true
        return values.some((value) =>
          filtersOfFilters[position]!.every(({ question: other, attribute }) => {
            const also = filters.findIndex((filter) => filter.question === other)
            const needed = attributeValues(choices.get(value)!, attribute)
            return also === -1 || !matching[also] || !needed || needed.some((one) => matching[also]!.includes(one))
          }),
        )
      })
      return isPossible ? [] : [warningOf(`${list}/${index}`, choice, index)]
    })
  })
}

/** Returns the choices of a question by the texts with which attributes name them; none if its answers are no choices. */
function choicesByName({ source, kind }: QuestionOutline): ReadonlyMap<string, Json> {
  const fieldType = kind === 'unknown' ? null : questionTypes[kind].fieldType
  const authored = recordsIn(typeOf(kind)?.grid ? source.choices : authoredSetting(source, 'choices'))
  const choices = fieldType === 'boolean' && authored.length !== 2 ? [{}, {}] : authored
  if (fieldType !== 'single' && fieldType !== 'multi' && fieldType !== 'boolean') return new Map()
  return new Map(
    choices.map((choice, index) => {
      const code = codeOf(choice)
      return [filterValueOf({ index, ...(code !== undefined && { code }) }), choice]
    }),
  )
}

function warningOf(pointer: string, { label }: Json, index: number): StructureWarning {
  const text = Object.values(membersOf(label))[0] ?? label
  const name = (typeof text === 'string' && text.trim() ? text.trim() : String(index + 1)).slice(0, 60).toWellFormed()
  return {
    pointer,
    code: 'choice_never_shown',
    message: `“${name}” can never be shown, because no answer to the earlier questions matches its attributes.`,
    values: { name },
  }
}

/** Reports whether the answers to questions of a type are known before their page is shown. */
function isKnownBefore(idname: unknown): boolean {
  const answeredBy = typeOf(kindOf(idname))?.answeredBy
  return answeredBy === 'link' || answeredBy === 'assignment'
}

const TEXT_MEMBERS = ['title', 'description'] as const

/**
 * Returns a warning for each title or description of a question in which a placeholder without a default refers to a
 * question of the same or a later page. That question is not answered when the page is shown. Placeholders for hidden
 * fields and random groups cause no warning.
 */
function pipingWarnings(form: unknown): StructureWarning[] {
  const pages = pageNodes(form).map(({ questions }) => questions)
  const pageByName = new Map(
    pages.flatMap((questions, page) =>
      questions
        .filter(({ value }) => !isKnownBefore(value.idname))
        .flatMap(({ value }) => [value.id, value.identifier].map((name) => [name, page] as const)),
    ),
  )
  return pages.flatMap((questions, page) =>
    questions.flatMap(({ value, pointer }) =>
      TEXT_MEMBERS.flatMap((member) => {
        const name = namesIn(value[member]).find((name) => (pageByName.get(name) ?? -1) >= page)
        return name === undefined ? [] : [warning(under(pointer, member), name)]
      }),
    ),
  )
}

function namesIn(text: unknown): string[] {
  const texts = [text, ...Object.values(membersOf(text))]
  return texts.flatMap((text) => (typeof text === 'string' ? namesWithoutDefault(text) : []))
}

const warning = (pointer: string, name: string): StructureWarning => ({
  pointer,
  code: 'piped_on_same_page',
  message: `“${name.slice(0, 60)}” is not answered yet when this page is shown. Move the question to an earlier page, or add a default: {{ ${name.slice(0, 60)} | default: "text" }}.`,
  values: { name: name.slice(0, 60) },
})

export const SCORE_ORDER_MESSAGE =
  'The choices keep their scores, which no longer follow the order of the choices. Write a score for each choice if this is not what you want.'

/**
 * Returns a warning for each list of choices whose scores the author did not write and that no longer follow the order
 * of the choices.
 * @param authored the structure before choices got their stable numbers and scores
 */
export const scoreWarnings = (authored: Structure, saved: NumberedStructure): StructureWarning[] =>
  listsOutOfOrder(authored, saved).map((pointer) => ({
    pointer,
    code: 'score_order',
    message: SCORE_ORDER_MESSAGE,
    values: {},
  }))
