import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { StructureLanguage } from '../structure/structure.ts'
import type { Tables } from '../tables.ts'
import { baseLanguage } from '../text/catalog.ts'
import { INVITE_LINK, UNSUBSCRIBE_LINK } from './tokens.ts'

/** Texts of the service in emails to respondents. */
export interface MailWords {
  /** Footer with an unsubscribe link, for messages that do not contain one. */
  footer: string
  /** Label of the button that opens the survey. */
  button: string
  /** Prefix of the subject of a reminder. */
  reminder: string
  /** Default text of a reminder. */
  reminderText: string
}

const words = (
  button: string,
  footer: string,
  reminder: string,
  ...reminderText: [string, string, string]
): MailWords => {
  const [greeting, request, thanks] = reminderText
  return {
    button,
    footer: `${footer} ${UNSUBSCRIBE_LINK}`,
    reminder,
    reminderText: `${greeting}\n\n${request}\n\n${INVITE_LINK}\n\n${thanks}`,
  }
}

const en = words(
  'Take the survey',
  'You received this email because you were invited to a survey. Unsubscribe:',
  'Reminder',
  'Hi [Full Name],',
  'A few days ago, we invited you to take part in a survey. If you have not answered yet, there is still time:',
  'Thank you!',
)

/** Texts by language code. */
export const mailWords: Readonly<Record<string, MailWords>> = {
  en,
  fr: words(
    'Répondre au questionnaire',
    'Vous recevez cet e-mail car vous avez été invité à répondre à un questionnaire. Se désabonner :',
    'Rappel',
    'Bonjour [Full Name],',
    'il y a quelques jours, nous vous avons invité à répondre à un questionnaire. Si vous n’en avez pas encore trouvé le temps, vos réponses sont toujours les bienvenues :',
    'Merci !',
  ),
  de: words(
    'Zur Umfrage',
    'Sie erhalten diese E-Mail, weil Sie zu einer Umfrage eingeladen wurden. Abmelden:',
    'Erinnerung',
    'Guten Tag [Full Name],',
    'vor einigen Tagen haben wir Sie zu einer Umfrage eingeladen. Falls Sie noch keine Zeit dafür hatten: Ihre Antworten sind nach wie vor willkommen.',
    'Vielen Dank!',
  ),
  es: words(
    'Responder a la encuesta',
    'Recibe este correo porque ha sido invitado a una encuesta. Cancelar la suscripción:',
    'Recordatorio',
    'Hola, [Full Name]:',
    'hace unos días le invitamos a participar en una encuesta. Si todavía no ha encontrado el momento, sus respuestas siguen siendo bienvenidas:',
    '¡Gracias!',
  ),
  it: words(
    'Partecipa al sondaggio',
    'Riceve questa e-mail perché è stato invitato a un sondaggio. Annulla l’iscrizione:',
    'Promemoria',
    'Buongiorno [Full Name],',
    'qualche giorno fa l’abbiamo invitata a partecipare a un sondaggio. Se non ha ancora trovato il tempo, le sue risposte sono sempre benvenute:',
    'Grazie!',
  ),
  nl: words(
    'Naar de enquête',
    'U ontvangt deze e-mail omdat u bent uitgenodigd voor een enquête. Afmelden:',
    'Herinnering',
    'Hallo [Full Name],',
    'enkele dagen geleden hebben wij u uitgenodigd voor een enquête. Als u er nog geen tijd voor had: uw antwoorden zijn nog steeds welkom.',
    'Dank u wel!',
  ),
  pt: words(
    'Responder ao inquérito',
    'Recebe este e-mail porque foi convidado para um inquérito. Cancelar a subscrição:',
    'Lembrete',
    'Olá, [Full Name]:',
    'há alguns dias convidámo-lo a participar num inquérito. Se ainda não encontrou tempo, as suas respostas continuam a ser bem-vindas:',
    'Obrigado!',
  ),
  ar: words(
    'المشاركة في الاستبيان',
    'تلقيت هذه الرسالة لأنك دُعيت إلى المشاركة في استبيان. لإلغاء الاشتراك:',
    'تذكير',
    'مرحبًا [Full Name]،',
    'دعوناك قبل بضعة أيام إلى المشاركة في استبيان. إذا لم تشارك بعد، فلا يزال بإمكانك ذلك:',
    'شكرًا لك!',
  ),
  hi: words(
    'सर्वेक्षण में भाग लें',
    'आपको यह ईमेल इसलिए मिला है क्योंकि आपको एक सर्वेक्षण के लिए आमंत्रित किया गया था। सदस्यता समाप्त करें:',
    'अनुस्मारक',
    'नमस्ते [Full Name],',
    'कुछ दिन पहले हमने आपको एक सर्वेक्षण में भाग लेने के लिए आमंत्रित किया था। यदि आपने अभी तक उत्तर नहीं दिया है, तो आप अब भी दे सकते हैं:',
    'धन्यवाद!',
  ),
  ja: words(
    'アンケートに回答する',
    'このメールは、アンケートにご招待した方にお送りしています。配信停止：',
    'リマインダー',
    '[Full Name] 様',
    '先日、アンケートへのご協力をお願いいたしました。まだご回答いただいていない場合は、引き続き次のリンクからご回答いただけます。',
    'どうぞよろしくお願いいたします。',
  ),
  ko: words(
    '설문에 참여하기',
    '설문에 초대되어 이 이메일을 받으셨습니다. 수신 거부:',
    '다시 알림',
    '[Full Name] 님, 안녕하세요.',
    '며칠 전 설문에 초대해 드렸습니다. 아직 응답하지 않으셨다면 지금도 참여하실 수 있습니다:',
    '감사합니다!',
  ),
  pl: words(
    'Wypełnij ankietę',
    'Otrzymujesz tę wiadomość, ponieważ zaproszono Cię do ankiety. Rezygnacja z zaproszeń:',
    'Przypomnienie',
    'Dzień dobry, [Full Name]!',
    'Kilka dni temu zaprosiliśmy Cię do udziału w ankiecie. Jeśli nie masz jej jeszcze za sobą, nadal czekamy na Twoje odpowiedzi:',
    'Dziękujemy!',
  ),
  tr: words(
    'Ankete katıl',
    'Bu e-postayı bir ankete davet edildiğiniz için aldınız. Abonelikten çıkın:',
    'Hatırlatma',
    'Merhaba [Full Name],',
    'Birkaç gün önce sizi bir ankete katılmaya davet etmiştik. Henüz yanıtlamadıysanız hâlâ katılabilirsiniz:',
    'Teşekkürler!',
  ),
  uk: words(
    'Пройти опитування',
    'Ви отримали цей лист, тому що вас запросили на опитування. Відписатися:',
    'Нагадування',
    'Добрий день, [Full Name]!',
    'Кілька днів тому ми запросили вас узяти участь в опитуванні. Якщо ви ще не відповіли, ви й досі можете це зробити:',
    'Дякуємо!',
  ),
  zh: words(
    '参与问卷',
    '您收到此邮件，是因为您受邀参与一项问卷。退订：',
    '提醒',
    '[Full Name]，您好！',
    '几天前，我们邀请您参与一项问卷。如果您尚未作答，现在仍然可以参与：',
    '谢谢！',
  ),
}

/**
 * Returns the texts for a language (`fr-CA` uses `fr`) and the language of these texts: English if there is no
 * translation.
 */
export function mailWordsFor(code: string): { language: string; words: MailWords } {
  const language = code.toLowerCase().split(/[-_]/, 1)[0]!
  return Object.hasOwn(mailWords, language) ? { language, words: mailWords[language]! } : { language: 'en', words: en }
}

/** The texts for emails of a survey, and the codes of its languages. */
export interface MailLanguage {
  language: string
  words: MailWords
  languages: readonly string[]
}

/**
 * Returns the texts for emails of a survey, in the default language of the survey. Reads only the languages of the
 * structure, because the whole structure can be large.
 */
export async function mailWordsOf({ em }: { em: EntityManager }, surveyId: number): Promise<MailLanguage> {
  const row = await em
    .getKysely<Tables>()
    .selectFrom('survey')
    .select(sql<StructureLanguage[]>`structure -> 'languages'`.as('languages'))
    .where('id', '=', surveyId)
    .executeTakeFirst()
  const languages = row?.languages ?? []
  const words = mailWordsFor(languages.find(({ isDefault }) => isDefault)?.code ?? 'en')
  return { ...words, languages: languages.map(({ code }) => code) }
}

/** The custom fields that can contain the language of a contact. The first one takes precedence. */
const LANGUAGE_FIELDS = ['language', 'lang'] as const

/** The language of the texts for one recipient. */
interface RecipientLanguage {
  language: string
  words: MailWords
  /**
   * The language in which the recipient reads the survey; undefined: a language of the recipient's browser.
   */
  surveyLanguage: string | undefined
}

/**
 * Returns the language for a contact: the language in its custom fields, or else the default language of the survey.
 * @param custom the custom fields of the contact
 */
export function recipientLanguage(custom: Readonly<Record<string, string>>, survey: MailLanguage): RecipientLanguage {
  const field = LANGUAGE_FIELDS.find((name) => Object.hasOwn(custom, name))
  const code = field ? custom[field]!.trim() : ''
  const base = baseLanguage(code)
  const texts = Object.hasOwn(mailWords, base)
    ? { language: base, words: mailWords[base]! }
    : { language: survey.language, words: survey.words }
  const surveyLanguage =
    survey.languages.find((one) => one.toLowerCase() === code.toLowerCase()) ??
    survey.languages.find((one) => code !== '' && baseLanguage(one) === base)
  return { ...texts, surveyLanguage }
}
