# The API of the rival: a task is sent to the queue, and its result read from the backend.
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from tasks import app as celery
from tasks import run


async def submit(request):
    body = await request.json()
    # A call to Redis on the same machine is shorter than the way to a thread and back.
    result = run.apply_async((body["prompt"], body["model"]))
    return JSONResponse({"jobId": result.id}, status_code=202)


async def poll(request):
    # Asks the backend for the one key itself: a result object would look after more.
    meta = celery.backend.get_task_meta(request.path_params["id"])
    return JSONResponse({"status": meta["status"], "result": meta.get("result")})


app = Starlette(routes=[Route("/jobs", submit, methods=["POST"]), Route("/jobs/{id}", poll)])
