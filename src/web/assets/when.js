// Beside a day and a time in UTC: what that is where the reader is.
const zone = document.getElementById('zone')
const [day, time] = ['date', 'time'].map((id) => document.getElementById(id))

function tell() {
  const at = new Date(`${day.value}T${time.value || '00:00'}Z`)
  if (!day.value || Number.isNaN(at.getTime())) return
  zone.textContent = `Your local time: ${at.toLocaleString([], { dateStyle: 'full', timeStyle: 'short' })}`
}

if (zone && day && time) for (const field of [day, time]) field.addEventListener('input', tell)
