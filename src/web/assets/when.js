// Shows the local time for a date and time in UTC.
const zone = document.getElementById('zone')
const [day, time] = ['date', 'time'].map((id) => document.getElementById(id))

function showLocalTime() {
  const at = new Date(`${day.value}T${time.value || '00:00'}Z`)
  if (!day.value || Number.isNaN(at.getTime())) return
  zone.textContent = pageText('Your local time: {time}', {
    time: at.toLocaleString(document.documentElement.lang, { dateStyle: 'full', timeStyle: 'short' }),
  })
}

if (zone && day && time) for (const field of [day, time]) field.addEventListener('input', showLocalTime)
