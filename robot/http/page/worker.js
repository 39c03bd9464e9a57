// The service worker: a page where the server cannot be reached, and notifications where no page is open. It keeps files
// of the page alone, and nothing that agents show or say.

const kept = "offline-1";
const files = ["/offline.html", "/theme.css", "/style.css"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(kept).then((cache) => cache.addAll(files)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter((name) => name !== kept).map((name) => caches.delete(name))))
    .then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.mode === "navigate") {
    event.respondWith(fetch(event.request).catch(() => caches.match("/offline.html")));
  } else if (origin === location.origin && files.includes(pathname)) {
    event.respondWith(fetch(event.request).catch(() => caches.match(pathname)));
  }
});

// overFor is how long the notification stays that says that a question is over, in milliseconds.
const overFor = 5000;

// over takes back the notification of a question that is answered elsewhere. Browsers demand that each push shows
// something: Chromium shows one of its own where none of ours is there at the end of the event, and Safari ends the
// subscription. So a silent one takes its place, and is closed after the event, or by the page once it is open.
async function over({ id, title, body }) {
  await self.registration.showNotification(title, {
    body, tag: id, icon: "/icon-192.png", silent: true, data: { card: "#/inbox", over: true },
  });
  setTimeout(async () => {
    for (const one of await self.registration.getNotifications({ tag: id })) if (one.data.over) one.close();
  }, overFor);
}

// What is asked is in the message. It leads to its card of the inbox, where the
// answer is given, and so do its buttons.
self.addEventListener("push", (event) => {
  let message = {};
  try {
    message = event.data.json();
  } catch {
    // It is shown that there is something.
  }
  event.waitUntil(message.kind === "over" ? over(message) : self.registration.showNotification(message.title || "Cupola", {
    body: message.body || "An agent needs you.", tag: message.id, icon: "/icon-192.png", renotify: Boolean(message.id),
    data: { card: String(message.card).startsWith("#/") ? message.card : "#/inbox", at: Date.now() },
    actions: message.answers ? [{ action: "approve", title: "Approve" }, { action: "deny", title: "Deny" }] : [],
  }));
});

self.addEventListener("notificationclick", (event) => {
  const { card } = event.notification.data;
  event.notification.close();
  event.waitUntil(self.clients.matchAll({ type: "window", includeUncontrolled: true }).then((pages) => {
    const page = pages.find((one) => new URL(one.url).origin === location.origin);
    if (!page) return self.clients.openWindow("/" + card);
    page.postMessage({ card });
    return page.focus();
  }));
});
