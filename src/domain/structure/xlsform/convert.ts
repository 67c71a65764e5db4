import type { Workbook } from '../../../lib/xlsx/workbook.ts'
import { WorkbookError } from '../../../lib/xlsx/workbook-error.ts'
import { isAutomatic, kindOf } from '../../../questions/index.ts'
import { choiceLists, listCounter } from './choices.ts'
import type { Result } from './condition.ts'
import {
  assignIds,
  calculatedNames,
  conditionMember,
  expressionParser,
  type Form,
  type Relevance,
  referables,
  relevanceOf,
  ruleCounter,
  textOf,
  todaysOf,
  UNCONDITIONAL,
} from './form.ts'
import { type GridPlan, gridOf, gridPlanOf, isHeader, namesInGrid } from './grid.ts'
import { Issues } from './issues.ts'
import { Languages } from './languages.ts'
import { type GroupNode, type Node, type PageGroup, Pages, treeOf } from './pages.ts'
import { namesInRow, questionOf } from './question.ts'
import type { UncheckedForm } from './read.ts'
import { readSettings } from './settings.ts'
import { Table, type TableRow } from './table.ts'

type Members = Record<string, unknown>

/** The sheets of an XLSForm. */
export const SHEETS = ['survey', 'choices', 'settings'] as const

/** Maximum number of rows of the sheet `survey`. A survey has at most 5,000 questions. */
const MAX_ROWS = 10_000

/** Other sheets that a form can have. */
const OTHER_SHEETS = new Set(['entities', 'external_choices', 'osm'])

/**
 * Converts the sheets of an XLSForm to a structure.
 * @returns undefined if there is no sheet `survey` with the column `type`
 * @throws {WorkbookError} `too_large`
 */
export function convertForm({ names, sheets }: Workbook): UncheckedForm | undefined {
  const issues = new Issues()
  const languages = new Languages(issues)
  const survey = new Table('survey', sheets.get('survey') ?? [], languages)
  // A sheet with another name is a form only if it is the sole one and looks like one.
  const isNamed = names.some((name) => name.trim().toLowerCase() === 'survey')
  if (!survey.has('type') || (!isNamed && survey.rows.length === 0)) return undefined
  if (survey.rows.length > MAX_ROWS)
    throw new WorkbookError('too_large', { max: MAX_ROWS, unit: 'rows in the sheet survey' })
  const choices = new Table('choices', sheets.get('choices') ?? [], languages)
  const settings = readSettings(new Table('settings', sheets.get('settings') ?? [], languages), issues)
  const written = settings.language
  const named =
    written === '' || /^default$/i.test(written)
      ? undefined
      : languages.codeOf(written, { sheet: 'settings', row: settings.row })
  const hasPlainTexts = [survey, choices].some(({ columns }) =>
    columns.some(({ name, language }) => name === 'label' && language === undefined),
  )
  const defaultLanguage = named ?? (hasPlainTexts ? 'en' : (languages.codes[0] ?? 'en'))
  const rows = survey.rows.filter((row) => !row.isYes('disabled'))
  const form: Form = {
    issues,
    defaultLanguage,
    languages: languages.list(defaultLanguage).map(({ code }) => code),
    lists: choiceLists(choices, issues, defaultLanguage),
    ...assignIds(rows, issues),
    ...referables(),
    calculated: calculatedNames(rows),
    todays: todaysOf(rows),
    parse: expressionParser(),
    useList: listCounter(),
    ...ruleCounter(),
    reported: new Set(),
  }
  const pages = pagesOf(treeOf(rows, issues), form, settings.isPaged)
  for (const name of names)
    if (OTHER_SHEETS.has(name.trim().toLowerCase()))
      issues.add(
        'sheet_ignored',
        { sheet: name.slice(0, 60) },
        `The sheet “${name.slice(0, 60)}” is not supported and was ignored.`,
      )
  survey.reportIgnored(issues, SURVEY_COLUMNS)
  choices.reportIgnored(issues, choiceColumns(rows))
  survey.reportFormatting(issues)
  choices.reportFormatting(issues)
  if (!named && languages.codes.length === 0 && !looksEnglish([survey, choices]))
    issues.add(
      'language_assumed',
      { sheet: 'settings' },
      'The form names no language, and its texts do not look English. The survey is declared as English, which browsers and screen readers use. Set the language in the builder, or write it in the form: “label::Español (es)”.',
    )
  const list = languages.list(defaultLanguage)
  return {
    structure: {
      title: { [defaultLanguage]: settings.title },
      ...(list.length > 1 || named ? { languages: list } : {}),
      form: pages,
    },
    issues,
    rows: new Map(rows.map((row) => [form.ids.get(row.number), row])),
  }
}

/** Columns that are converted, and columns that change nothing for respondents. */
const SURVEY_COLUMNS = new Set(
  'type name label hint required relevant rows constraint constraint_message appearance parameters default calculation choice_filter read_only disabled repeat_count comment comments note notes'.split(
    ' ',
  ),
)
/**
 * Returns the columns of the sheet of choices that are not reported as ignored: those that are converted, and those to
 * which a choice filter can refer. The choice filter is reported in their place.
 */
function choiceColumns(rows: readonly TableRow[]): ReadonlySet<string> {
  const filters = rows.map((row) => row.get('choice_filter')).filter((text) => text !== '')
  const words = new Set(filters.flatMap((text) => text.toLowerCase().match(/[\p{L}_][\p{L}\p{N}_.-]*/gu) ?? []))
  return new Set(['list_name', 'name', 'label', ...words])
}

/** Converts the nodes of a form to pages. */
function pagesOf(nodes: readonly Node[], form: Form, isPaged: boolean): Members[] {
  const pages = new Pages(form)
  const top: PageGroup = { title: undefined, description: undefined, relevance: UNCONDITIONAL }
  addNodes(nodes, { pages, form, isPaged, group: top, headings: [] })
  return pages.finish()
}

/** Where nodes become questions. */
interface Place {
  pages: Pages
  form: Form
  /** Whether each question outside of groups has a page of its own. */
  isPaged: boolean
  group: PageGroup
  /** The headings of the groups around a question, from the outermost to the innermost, without the page title. */
  headings: readonly Heading[]
}

/** The heading of a group, which is shown before its first question. */
interface Heading {
  row: TableRow
  /** The condition of the group within its page. */
  result: Result
  isShown: boolean
}

/**
 * Converts the nodes of a group. A group that contains groups becomes a page for each inner group, whose condition is
 * that of both. A group without groups becomes a page, and so does a group that ODK shows on one screen
 * (`field-list`): its inner groups become sections.
 */
function addNodes(nodes: readonly Node[], place: Place): void {
  const { pages, form, isPaged, group } = place
  for (const node of nodes) {
    if (!('children' in node)) {
      addRow(node.row, place)
      if (isPaged) pages.close()
      continue
    }
    pages.close()
    const relevance = relevanceOf(node.row, form, group.relevance, 'group of questions')
    const plan = gridPlanOf(node, form)
    if (plan) {
      addGrid(plan, { ...place, group: { ...group, relevance } }, UNCONDITIONAL)
      pages.close()
      continue
    }
    reportGroup(node, form)
    const own = textOf(node.row, 'label', form)
    const isOutermost = group.title === undefined
    const inner: Place = {
      pages,
      form,
      isPaged: false,
      group: {
        title: group.title ?? own,
        description: isOutermost && own !== undefined ? textOf(node.row, 'hint', form) : undefined,
        relevance,
      },
      headings: isOutermost ? [] : [...place.headings, { row: node.row, result: true, isShown: false }],
    }
    if (isOneScreen(node) || !node.children.some((child) => 'children' in child && !gridPlanOf(child, form)))
      addSection(node.children, inner, UNCONDITIONAL)
    else addNodes(node.children, inner)
    pages.close()
  }
}

const isOneScreen = ({ row }: GroupNode): boolean => /\bfield-list\b/.test(row.get('appearance'))

/** Reports the cells of a group that have no counterpart. */
function reportGroup({ row }: GroupNode, form: Form): void {
  for (const column of ['constraint', 'read_only', 'choice_filter'])
    if (row.get(column) !== '' && !/^(?:no|false|false\(\))$/i.test(row.get(column)))
      form.issues.add(
        'column_ignored',
        row.at(column),
        'A group has no such setting. The cell was left out.',
        row.get(column),
      )
}

/**
 * Converts the nodes of a page. A group within a page becomes a grid or a section. The questions of a section get the
 * condition of the group.
 */
function addSection(nodes: readonly Node[], place: Place, relevance: Relevance): void {
  const { form } = place
  for (const node of nodes) {
    if (!('children' in node)) {
      addRow(node.row, place, relevance)
      continue
    }
    const own = relevanceOf(node.row, form, relevance, 'group of questions')
    const plan = gridPlanOf(node, form)
    if (plan) {
      addGrid(plan, place, own)
      continue
    }
    reportGroup(node, form)
    const heading = { row: node.row, result: own.result, isShown: false }
    addSection(node.children, { ...place, headings: [...place.headings, heading] }, own)
  }
}

function addRow(row: TableRow, place: Place, around: Relevance = UNCONDITIONAL): void {
  const { pages, form, group } = place
  if (isHeader(row)) {
    form.issues.add(
      'type_not_supported',
      row.at('appearance'),
      'The row was left out. It only shows the labels of the choices above the following questions, which show them themselves.',
      row.get('appearance'),
    )
    return
  }
  // A group whose condition could not be converted makes its questions optional.
  const relevance = { ...around, isIncomplete: around.isIncomplete || group.relevance.isIncomplete }
  pages.open(group, namesInRow(row, form))
  const converted = questionOf(row, form, relevance)
  // Respondents do not see hidden fields and calculations, so these need no heading.
  if (converted.question && !isAutomatic(kindOf(converted.question.idname))) addHeadings(place)
  pages.add(converted)
}

function addGrid(plan: GridPlan, place: Place, around: Relevance): void {
  const { pages, form, group } = place
  const relevance = { ...around, isIncomplete: around.isIncomplete || group.relevance.isIncomplete }
  pages.open(group, namesInGrid(plan, form))
  const converted = gridOf(plan, form, relevance)
  addHeadings(place)
  pages.add(converted)
}

/** Adds the headings of the groups whose first question follows. */
function addHeadings({ pages, form, headings }: Place): void {
  for (const heading of headings) {
    if (heading.isShown) continue
    heading.isShown = true
    const title = textOf(heading.row, 'label', form)
    const description = textOf(heading.row, 'hint', form)
    if (title === undefined) continue
    const question = {
      idname: 'section-separator',
      id: form.ids.get(heading.row.number),
      title,
      ...(description !== undefined && { description }),
      ...conditionMember(heading.result, form),
      children: [],
    }
    pages.add({ question, referables: [] })
  }
}

/** Words that are frequent in English questions and rare in other languages. */
const ENGLISH =
  /\b(?:the|you|your|what|which|when|where|who|how|are|does|have|has|and|of|name|age|yes|please|other|date|number|question|this)\b/i
const LETTERS = /\p{L}{2,}/gu
/** Fewer words tell nothing about the language. */
const MIN_WORDS = 30
/** Share of texts with a frequent English word from which a form counts as English. */
const MIN_ENGLISH_SHARE = 0.1
const MAX_TEXTS = 2000

/** Reports whether the labels of a form without languages look English, or are too short to tell. */
function looksEnglish(tables: readonly Table[]): boolean {
  const texts = tables.flatMap((table) => {
    const columns = table.columnsOf('label').map(({ index }) => index)
    return table.rows.slice(0, MAX_TEXTS).flatMap((row) => columns.map((index) => row.cellAt(index).slice(0, 500)))
  })
  const words = texts.flatMap((text) => text.match(LETTERS) ?? [])
  if (words.length < MIN_WORDS && !words.some((word) => /\p{L}/u.test(word) && !/\p{Script=Latin}/u.test(word)))
    return true
  const filled = texts.filter((text) => text !== '')
  return filled.filter((text) => ENGLISH.test(text)).length >= filled.length * MIN_ENGLISH_SHARE
}
