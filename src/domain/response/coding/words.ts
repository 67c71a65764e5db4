import { type Kysely, sql } from 'kysely'
import { nextTurn } from '../../../lib/next-turn.ts'
import type { Context } from '../../context.ts'
import type { Field } from '../../structure/questionnaire.ts'
import { findSnapshot } from '../../survey/queries.ts'
import type { Tables } from '../../tables.ts'
import { fieldsNamed } from './answers.ts'

/** The words of the text answers in one language. */
export interface LanguageWords {
  /** The language in which respondents answered, without its region. */
  language: string
  /** Number of answers. */
  answers: number
  /** Whether there is a list of stop words, which are left out. */
  stopWords: boolean
  /** The most frequent words, with the number of answers in which each occurs. */
  words: { word: string; answers: number }[]
}

export interface FrequentWords {
  languages: LanguageWords[]
  /** Whether all answers were read. */
  complete: boolean
}

const MAX_RESPONSES = 20_000
/** Number of characters that are read at most, and of one answer. */
const MAX_CHARACTERS = 2_000_000
const MAX_ANSWER_CHARACTERS = 10_000
/** Number of responses that one query reads, and of characters that are counted before other requests are served. */
const BATCH_RESPONSES = 2_000
const TURN_CHARACTERS = 50_000
const MAX_LANGUAGES = 50

/**
 * Counts the words of the newest text answers by language.
 * @throws {Problem} `survey_not_found`, `forbidden`, `invalid_request`
 */
export async function listFrequentWords(
  context: Context,
  surveyId: number,
  { question, language, limit }: { question?: string | undefined; language?: string | undefined; limit: number },
): Promise<FrequentWords> {
  const { questionnaire: q } = await findSnapshot(context, surveyId, 'View')
  const fields = fieldsNamed(q, question)
  const { default: lists } = await import('stopword')
  const counters = new Map<string, WordCounter>()
  let [characters, waiting] = [0, 0]
  const reader = readTexts(context.em.getKysely<Tables>(), surveyId, fields)
  let complete = true
  for await (const { language: answered, text } of reader) {
    if (text === null || characters >= MAX_CHARACTERS) {
      complete = false
      break
    }
    const base = baseOf(answered || q.defaultLanguage)
    if (language !== undefined && base !== baseOf(language)) continue
    const counter = counters.get(base) ?? new WordCounter(base, lists)
    counters.set(base, counter)
    counter.add(text)
    characters += text.length
    waiting += text.length
    if (waiting < TURN_CHARACTERS) continue
    waiting = 0
    await nextTurn()
  }
  const languages = [...counters.values()].map((counter) => counter.result(limit))
  languages.sort((a, b) => b.answers - a.answers || (a.language < b.language ? -1 : 1))
  return { languages: languages.slice(0, MAX_LANGUAGES), complete }
}

const baseOf = (tag: string): string => tag.split(/[-_]/, 1)[0]!.toLowerCase()

interface Answer {
  language: string
  /** Null: there are older responses, which are not read. */
  text: string | null
}

/** Reads the text answers of the newest {@link MAX_RESPONSES} responses. */
async function* readTexts(db: Kysely<Tables>, surveyId: number, fields: readonly Field[]): AsyncGenerator<Answer> {
  if (fields.length === 0) return
  const keys = fields.map(({ storedKey }) => storedKey)
  let below = Number.MAX_SAFE_INTEGER
  for (let read = 0; read < MAX_RESPONSES; read += BATCH_RESPONSES) {
    const { rows: ids } = await sql<{ id: number }>`select id from response where survey_id = ${surveyId}
      and id < ${below} order by id desc limit ${BATCH_RESPONSES}`.execute(db)
    if (ids.length === 0) return
    const last = ids.at(-1)!.id
    const { rows } = await sql<{ language: string; text: string }>`
      select response.language, left(response.answers ->> field.key, ${MAX_ANSWER_CHARACTERS}) as text
      from response cross join unnest(${keys}::text[]) as field (key)
      where response.survey_id = ${surveyId} and response.id < ${below} and response.id >= ${last}
        and jsonb_typeof(response.answers -> field.key) = 'string' and btrim(response.answers ->> field.key) <> ''
      order by response.id desc`.execute(db)
    yield* rows
    if (ids.length < BATCH_RESPONSES) return
    below = last
  }
  const { rows } = await sql`select from response where survey_id = ${surveyId} and id < ${below} limit 1`.execute(db)
  if (rows.length > 0) yield { language: '', text: null }
}

/** Counts in how many texts of a language each word occurs. */
class WordCounter {
  readonly #language: string
  readonly #segmenter: Intl.Segmenter
  readonly #stopWords: ReadonlySet<string> | undefined
  readonly #counts = new Map<string, number>()
  #answers = 0

  constructor(language: string, lists: Readonly<Record<string, readonly string[]>>) {
    this.#language = language
    this.#segmenter = new Intl.Segmenter(isLanguage(language) ? language : 'und', { granularity: 'word' })
    const list = lists[LISTS[language] ?? '']
    const opinions = OPINIONS[language]?.split(' ')
    // The lists contain both spellings of a word with an apostrophe.
    this.#stopWords =
      list && new Set(list.map((word) => word.toLowerCase().replaceAll('’', "'"))).difference(new Set(opinions))
  }

  add(text: string): void {
    this.#answers += 1
    const words = new Set<string>()
    for (const { segment, isWordLike } of this.#segmenter.segment(text.normalize('NFC'))) {
      if (!isWordLike || !/\p{L}/u.test(segment)) continue
      const word = segment.toLowerCase().replaceAll('’', "'")
      if ([...word].length > 1 && !this.#stopWords?.has(word)) words.add(word)
    }
    for (const word of words) this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1)
  }

  result(limit: number): LanguageWords {
    const words = [...this.#counts].map(([word, answers]) => ({ word, answers }))
    words.sort((a, b) => b.answers - a.answers || (a.word < b.word ? -1 : 1))
    return {
      language: this.#language,
      answers: this.#answers,
      stopWords: this.#stopWords !== undefined,
      words: words.slice(0, limit),
    }
  }
}

/** Reports whether a text is a language code, so that `Intl` accepts it. */
const isLanguage = (code: string): boolean => /^[a-z]{2,3}$/.test(code)

/** The lists of stop words: codes of ISO 639-3 by those of ISO 639-1. */
const LISTS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'af afr, ar ara, bg bul, bn ben, br bre, ca cat, cs ces, da dan, de deu, el ell, en eng, eo epo, es spa, et est',
    'eu eus, fa fas, fi fin, fr fra, ga gle, gl glg, gu guj, ha hau, he heb, hi hin, hr hrv, hu hun, hy hye, id ind',
    'it ita, ja jpn, ko kor, ku kur, la lat, lt lit, lv lav, mr mar, ms msa, my mya, nb nob, nl nld, no nob',
    'pl pol, pt por, ro ron, ru rus, sk slk, sl slv, so som, st sot, sv swe, sw swa, th tha, tl tgl, tr tur, uk ukr',
    'ur urd, vi vie, yo yor, zh zho, zu zul',
  ].flatMap((line) => line.split(', ').map((pair) => pair.split(' '))),
)

/**
 * Words that say what people think of something. They are answers, although the lists of these languages contain them; the
 * lists of other languages do not (stopword 3.1.5, findings/stopword-opinions.sh).
 */
const OPINIONS: Readonly<Record<string, string>> = {
  cs: 'dobrý nové nový',
  da: 'god godt lille ny nyt stor store',
  de:
    'besser besten gross grosse grossen grosser grosses groß große großen großer großes gut gute guter gutes hoch kleine ' +
    'kleinen kleiner kleines kurz lang lange leicht lieber neue neuen richtig satt schlecht weit wenig',
  en: 'like never well',
  hu: 'jó jól lassan nagy nagyobb rosszul új',
  pl: 'dobrze',
  ru: 'лучше',
  sv:
    'bra bäst bättre enkel enkelt enkla god goda godare godast gott liten lätt lättare lättast lång långsam långsammare ' +
    'långsammast långsamt nödvändig nödvändigt små stor stora stort större störst sämre sämst viktig viktigare viktigast ' +
    'viktigt värre',
  tr: 'iyi',
}
