# The worker of the rival: calls the model and keeps what it answers.
import http.client
import json
import os
import threading
from urllib.parse import urlsplit

from celery import Celery

redis_url = os.environ["REDIS_URL"]
app = Celery("bench", broker=redis_url, backend=redis_url)
app.conf.update(
    # A job that a worker dies with is run again, as in the other systems.
    task_acks_late=True,
    task_ignore_result=False,
    worker_prefetch_multiplier=4,
    worker_send_task_events=False,
    broker_connection_retry_on_startup=True,
)

model = urlsplit(os.environ["MODEL_URL"])
kept = threading.local()


def connection():
    if not hasattr(kept, "connection"):
        kept.connection = http.client.HTTPConnection(model.hostname, model.port)
    return kept.connection


@app.task
def run(prompt, model_name):
    body = json.dumps({"model": model_name, "messages": [{"role": "user", "content": prompt}]})
    headers = {"content-type": "application/json", "authorization": "Bearer bench-key"}
    asked = connection()
    asked.request("POST", "/v1/chat/completions", body, headers)
    answer = json.loads(asked.getresponse().read())
    return {"text": answer["choices"][0]["message"]["content"]}
